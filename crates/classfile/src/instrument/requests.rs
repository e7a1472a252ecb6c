//! Recording only requests with a given path: what is inserted into the classes that serve them.
//!
//! ```java
//! static int  asks(Object request)      // a request is about to be served: 0 if it is not recorded
//! static void leaves(int begun)         // it was; `begun`: what `asks` gave
//! ```

use super::plan::Recorder;
use super::tasks::{Point, around, points_of};
use crate::class_file::ClassFile;
use crate::instruction::Instruction;
use crate::limits::COMPILE_LIMIT;
use crate::opcode::Opcode;
use crate::skipped::Skipped;

/// What serves requests, each with the request as its first argument: servlets of all servers, with their filters in Tomcat, and
/// the server that the JDK has.
const SERVERS: [Point<()>; 4] = [
    ("jakarta.servlet.http.HttpServlet", "service", "(Ljakarta/servlet/ServletRequest;", ()),
    ("javax.servlet.http.HttpServlet", "service", "(Ljavax/servlet/ServletRequest;", ()),
    ("org.apache.catalina.core.ApplicationFilterChain", "doFilter", "(L", ()),
    ("com.sun.net.httpserver.Filter$Chain", "doFilter", "(Lcom/sun/net/httpserver/HttpExchange;)", ()),
];

/// Whether requests are served by this class (its name with dots).
pub fn are_served_by(class: &str) -> bool {
    SERVERS.iter().any(|(of, ..)| *of == class)
}

/// Inserts the calls into the class with this name, by which requests [`are_served_by`]. On failure the class is not to be used.
pub fn follow(class: &mut ClassFile<'_>, name: &str, recorder: &Recorder) -> Result<(), Skipped> {
    for (number, ()) in points_of(class, name, &SERVERS)? {
        let Some(method) = class.methods.get(number).cloned() else { continue };
        let Some(code) = class.code(&method)? else { continue };
        let asks = class.constant_pool.add_method(recorder.class, b"asks", b"(Ljava/lang/Object;)I")?;
        let asks = Instruction::with_constant(Opcode::INVOKESTATIC, asks);
        let edits = around(&code, 1, asks, recorder, &mut class.constant_pool)?;
        class.rewrite(number, &edits, COMPILE_LIMIT)?;
    }
    Ok(())
}
