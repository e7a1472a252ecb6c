package org.junit.jupiter.api;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Named like JUnit's, so that methods with it are tests. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Test { }
