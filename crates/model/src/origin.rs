//! Where classes come from: a folder, an archive, or a URL, as text.

/// Whether classes from there were compiled where they run: into a folder, or into what an application brings beside its
/// libraries.
pub fn is_built(origin: &str) -> bool {
    origin.starts_with('/') && origin.ends_with('/')
        || ["BOOT-INF/classes", "WEB-INF/classes"].iter().any(|classes| origin.contains(classes))
}

#[cfg(test)]
mod tests {
    use super::is_built;

    #[test]
    fn what_a_build_wrote_lies_in_folders_or_beside_the_libraries_of_an_application() {
        for (origin, expected) in [
            ("/home/u/shop/target/classes/", true),
            ("/var/lib/tomcat10/webapps/shop/WEB-INF/classes/", true),
            ("/var/lib/tomcat10/webapps/shop/WEB-INF/lib/h2.jar", false),
            ("jar:file:/srv/shop.jar!/BOOT-INF/classes!/", true),
            ("jar:nested:/srv/shop.jar/!BOOT-INF/classes/!/", true),
            ("jar:file:/srv/shop.jar!/BOOT-INF/lib/h2.jar!/", false),
            ("/usr/share/java/h2.jar", false),
            ("jrt:/java.sql", false),
        ] {
            assert_eq!(is_built(origin), expected, "{origin}");
        }
    }
}
