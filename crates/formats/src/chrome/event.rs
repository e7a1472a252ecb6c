//! One trace event: the fields that matter, whatever types a tracer gives them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The number of a process, thread or operation, which may be text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Id {
    Number(u64),
    Text(String),
}

impl Default for Id {
    fn default() -> Id {
        Id::Number(0)
    }
}

impl Id {
    pub(super) fn number(&self) -> Option<u64> {
        if let Id::Number(number) = self { Some(*number) } else { None }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(number) => write!(f, "{number}"),
            Id::Text(text) => f.write_str(text),
        }
    }
}

/// An event. What has another type than expected is as if it were not there.
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    pub(super) kind: Option<Cow<'a, str>>,
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) category: Option<Cow<'a, str>>,
    pub(super) pid: Id,
    pub(super) tid: Id,
    pub(super) id: Id,
    /// ns.
    pub(super) time: Option<i64>,
    /// ns, not negative.
    pub(super) duration: Option<i64>,
    /// Most events have no `args` that matter, and events are moved often.
    arguments: Option<Box<Arguments<'a>>>,
}

/// What `args` says.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a> {
    /// What a process or thread is called.
    pub(super) named: Option<Cow<'a, str>>,
    /// What our own export says of how a call began and ended.
    pub(super) called: Option<Cow<'a, str>>,
    pub(super) left: Option<Cow<'a, str>>,
    /// How many records were lost, null where nobody counted.
    pub(super) records: Option<Option<u64>>,
}

impl<'a> Event<'a> {
    pub(super) fn arguments(&self) -> Option<&Arguments<'a>> {
        self.arguments.as_deref()
    }
}

/// A value of any type.
enum Any<'a> {
    Text(Cow<'a, str>),
    Number(f64),
    Other,
}

impl<'a> Any<'a> {
    fn text(self) -> Option<Cow<'a, str>> {
        if let Any::Text(text) = self { Some(text) } else { None }
    }

    /// Microseconds as ns; some tracers write numbers as text.
    fn time(&self) -> Option<i64> {
        let micros = match self {
            Any::Number(number) => *number,
            Any::Text(text) => text.parse().ok()?,
            Any::Other => return None,
        };
        // A conversion that does not fit gives the nearest number.
        micros.is_finite().then_some((micros * 1000.0).round() as i64)
    }

    fn id(self) -> Id {
        match self {
            Any::Number(number) => Id::Number(number as u64),
            Any::Text(text) => text.parse().map_or_else(|_| Id::Text(text.into_owned()), Id::Number),
            Any::Other => Id::default(),
        }
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Any<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Any<'de>, E> {
        Ok(Any::Text(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<Any<'de>, E> {
        Ok(Any::Text(Cow::Owned(text.to_owned())))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Any<'de>, E> {
        Ok(Any::Number(number as f64))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Any<'de>, E> {
        Ok(Any::Number(number as f64))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Any<'de>, E> {
        Ok(Any::Number(number))
    }
    fn visit_bool<E>(self, _: bool) -> Result<Any<'de>, E> {
        Ok(Any::Other)
    }
    fn visit_unit<E>(self) -> Result<Any<'de>, E> {
        Ok(Any::Other)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Any<'de>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Any::Other)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Any::Other)
    }
}

impl<'de> Deserialize<'de> for Any<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Any<'de>, D::Error> {
        deserializer.deserialize_any(AnyVisitor)
    }
}

/// The name of a field that matters, in an event or under its `args`.
#[derive(Debug, Clone, Copy)]
enum Key {
    Kind,
    Name,
    Category,
    Pid,
    Tid,
    Id,
    Time,
    Duration,
    Args,
    Called,
    Left,
    Records,
    Other,
}

struct KeyVisitor;

impl Visitor<'_> for KeyVisitor {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }
    fn visit_str<E>(self, name: &str) -> Result<Key, E> {
        Ok(match name {
            "ph" => Key::Kind,
            "name" => Key::Name,
            "cat" => Key::Category,
            "pid" => Key::Pid,
            "tid" => Key::Tid,
            "id" => Key::Id,
            "ts" => Key::Time,
            "dur" => Key::Duration,
            "args" => Key::Args,
            "called" => Key::Called,
            "left" => Key::Left,
            "records" => Key::Records,
            _ => Key::Other,
        })
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_identifier(KeyVisitor)
    }
}

/// What stands under `args`, if that is an object.
#[derive(Default)]
struct Args<'a>(Option<Box<Arguments<'a>>>);

struct ArgsVisitor;

impl<'de> Visitor<'de> for ArgsVisitor {
    type Value = Args<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_str<E>(self, _: &str) -> Result<Args<'de>, E> {
        Ok(Args::default())
    }
    fn visit_u64<E>(self, _: u64) -> Result<Args<'de>, E> {
        Ok(Args::default())
    }
    fn visit_i64<E>(self, _: i64) -> Result<Args<'de>, E> {
        Ok(Args::default())
    }
    fn visit_f64<E>(self, _: f64) -> Result<Args<'de>, E> {
        Ok(Args::default())
    }
    fn visit_bool<E>(self, _: bool) -> Result<Args<'de>, E> {
        Ok(Args::default())
    }
    fn visit_unit<E>(self) -> Result<Args<'de>, E> {
        Ok(Args::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Args<'de>, A::Error> {
        AnyVisitor.visit_seq(list).map(|_| Args::default())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Args<'de>, A::Error> {
        let mut arguments: Option<Box<Arguments<'_>>> = None;
        while let Some(key) = map.next_key::<Key>()? {
            if !matches!(key, Key::Name | Key::Called | Key::Left | Key::Records) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let arguments: &mut Arguments<'_> = arguments.get_or_insert_default();
            let value = map.next_value::<Any<'_>>()?;
            match key {
                Key::Name => arguments.named = value.text(),
                Key::Called => arguments.called = value.text(),
                Key::Left => arguments.left = value.text(),
                _ => {
                    arguments.records =
                        Some(if let Any::Number(number) = value { Some(number as u64) } else { None })
                }
            }
        }
        Ok(Args(arguments))
    }
}

impl<'de> Deserialize<'de> for Args<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Args<'de>, D::Error> {
        deserializer.deserialize_any(ArgsVisitor)
    }
}

struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event<'de>, A::Error> {
        let mut event = Event::default();
        while let Some(key) = map.next_key::<Key>()? {
            match key {
                Key::Kind => event.kind = map.next_value::<Any<'_>>()?.text(),
                Key::Name => event.name = map.next_value::<Any<'_>>()?.text(),
                Key::Category => event.category = map.next_value::<Any<'_>>()?.text(),
                Key::Pid => event.pid = map.next_value::<Any<'_>>()?.id(),
                Key::Tid => event.tid = map.next_value::<Any<'_>>()?.id(),
                Key::Id => event.id = map.next_value::<Any<'_>>()?.id(),
                Key::Time => event.time = map.next_value::<Any<'_>>()?.time(),
                Key::Duration => {
                    event.duration = map.next_value::<Any<'_>>()?.time().map(|length| length.max(0))
                }
                Key::Args => event.arguments = map.next_value::<Args<'_>>()?.0,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(event)
    }
}

impl<'de> Deserialize<'de> for Event<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Event<'de>, D::Error> {
        deserializer.deserialize_map(EventVisitor)
    }
}
