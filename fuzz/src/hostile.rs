//! Inputs made to be expensive, by the megabyte: for tests of limits and for the benchmark.

/// A text, and what must become of it.
#[derive(Debug)]
pub struct Hostile {
    /// What is expensive about it.
    pub name: &'static str,
    /// The text.
    pub text: String,
    /// Whether it must be refused; else it must be read, as cheaply.
    pub is_refused: bool,
}

/// Longer files are refused by their size alone.
const SIZE: usize = 2 << 20;

/// Pattern files.
pub fn patterns() -> Vec<Hostile> {
    let machine = |inside: &str| {
        format!(
            "<tmfxml><pattern id='p' version='1'><patternHandler>{inside}</patternHandler></pattern></tmfxml>"
        )
    };
    // As many as fit into a file that is not too long.
    let fill = |part: &str| part.repeat((SIZE - 300) / part.len());
    let laughs: String =
        (1..100).map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10))).collect();
    let attributes: String = (0..100_000).map(|n| format!(" a{n}=\"\"")).collect();
    let numbered = |count: usize, part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
    let state = "<state id='s'><transition target='s'/></state>";
    let refused = [
        (
            "entities of entities",
            format!("<!DOCTYPE x [<!ENTITY e0 \"lol\">{laughs}]><tmfxml>&e99;</tmfxml>"),
        ),
        (
            "one entity, used often",
            format!(
                "<!DOCTYPE x [<!ENTITY a \"{}\">]><tmfxml>{}</tmfxml>",
                "a".repeat(100_000),
                "&a;".repeat(100_000)
            ),
        ),
        (
            "an entity to be fetched",
            "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///dev/zero\">]><tmfxml>&e;</tmfxml>".to_owned(),
        ),
        (
            "a document type to be fetched",
            "<!DOCTYPE tmfxml SYSTEM \"http://127.0.0.1:1/\"><tmfxml/>".to_owned(),
        ),
        ("100,000 attributes", format!("<tmfxml><pattern{attributes}/></tmfxml>")),
        ("attributes of one name", format!("<tmfxml><pattern{}/></tmfxml>", " a=\"\"".repeat(100_000))),
        ("100,000 levels", "<a>".repeat(100_000)),
        ("100,000 levels, closed", format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000))),
        ("nothing but the start of a tag", "<".repeat(SIZE)),
        ("a tag without end", format!("<tmfxml {}", fill("a "))),
        ("a quote without end", format!("<tmfxml a=\"{}", fill("<"))),
        ("comments", format!("{}<tmfxml>", fill("<!---->"))),
        ("a comment without end", format!("<!--{}", fill("<"))),
        ("instructions", format!("{}<tmfxml>", fill("<?a?>"))),
        ("many elements", machine(&fill("<test id='a'/>"))),
        ("many namespaces", format!("<tmfxml{}/>", numbered(100_000, &|n| format!(" xmlns:n{n}='u'")))),
        ("too long", " ".repeat(64 << 20)),
        (
            "actions that double",
            machine(&format!(
                "{}<action id='a60'/>{state}",
                numbered(60, &|n| {
                    let next = format!("<action id='a{}'/>", n + 1);
                    format!("<action id='a{n}'>{next}{next}</action>")
                })
            )),
        ),
        (
            "many states",
            machine(&format!("<fsm id='f'>{}</fsm>", numbered(30_000, &|n| format!("<state id='{n}'/>")))),
        ),
        (
            "names of one event without end",
            machine(&format!(
                "<fsm id='f'><state id='s'><transition target='s' event='{}'/></state></fsm>",
                fill("a|")
            )),
        ),
        (
            "stars without end",
            machine(&format!(
                "<fsm id='f'><state id='s'><transition target='s' event='{}'/></state></fsm>",
                fill("*a")
            )),
        ),
        (
            "tests of one transition without end",
            machine(&format!(
                "<test id='t'><if><condition><field name='f'/><stateValue type='null'/></condition></if></test><fsm id='f'><state id='s'><transition target='s' cond='{}'/></state></fsm>",
                fill("t:")
            )),
        ),
    ];
    let read = [
        ("a long comment", format!("<!--{}-->{}", fill("x"), machine(&format!("<fsm id='f'>{state}</fsm>")))),
        (
            "tests in number",
            machine(&numbered(4_900, &|n| {
                let condition = "<condition><field name='f'/><stateValue type='null'/></condition>";
                format!("<test id='t{n}'><if>{condition}</if></test>")
            })),
        ),
        ("a long text", machine(&format!("<fsm id='f'>{state}</fsm>{}", fill("&lt;")))),
        ("machines in number", machine(&numbered(4_000, &|n| format!("<fsm id='f{n}'>{state}</fsm>")))),
    ];
    let make = |is_refused| move |(name, text): (&'static str, String)| Hostile { name, text, is_refused };
    refused.into_iter().map(make(true)).chain(read.into_iter().map(make(false))).collect()
}
