//! What is written is read back as the same machines.

use expect_test::expect;
use model::machine::{Pattern, Spot};

use super::write;
use crate::model_xml::read;

/// A model as it is read, without the places in its file.
fn without_spots(mut pattern: Pattern) -> Pattern {
    pattern.spot = Spot::default();
    pattern.tests.iter_mut().for_each(|test| test.spot = Spot::default());
    for machine in &mut pattern.machines {
        machine.spot = Spot::default();
        machine.keys.iter_mut().flatten().for_each(|rule| rule.spot = Spot::default());
        for state in &mut machine.states {
            state.spot = Spot::default();
            state.transitions.iter_mut().for_each(|transition| transition.spot = Spot::default());
        }
    }
    pattern
}

fn pattern(xml: &str) -> Pattern {
    without_spots(read("a.xml", xml.as_bytes()).unwrap().patterns.remove(0))
}

const EVERYTHING: &str = r##"<tmfxml xmlns:tw="urn:tracewright:pattern:1">
  <pattern id="a &amp; b" version="1">
    <head>
      <traceType id="t"/>
      <label value="&lt;what it is&gt;"/>
    </head>
    <patternHandler initial="lock">
      <test id="outcome is failed">
        <if><condition><field name="outcome"/><stateValue type="string" value="failed"/></condition></if>
      </test>
      <test id="it is not ptr">
        <if><not><condition><stateAttribute type="constant" value="#CurrentScenario"/><stateAttribute type="constant" value="attribute"/><stateValue type="eventField" value="ptr"/></condition></not></if>
      </test>
      <test id="status is odd">
        <if>
          <or>
            <condition operator="ge"><field name="status"/><stateValue type="long" value="500"/></condition>
            <not>
              <and>
                <condition><field name="status"/><stateValue type="int" value="7"/></condition>
                <condition><field name="status"/><stateValue type="null"/></condition>
              </and>
            </not>
          </or>
        </if>
      </test>
      <fsm id="lock" initial="held">
        <tw:instances>
          <tw:key events="take|&quot;drop&quot;" of="lock" except="0" within="pid"/>
          <tw:key of="@cpu @thread" sends-to="to"/>
        </tw:instances>
        <state id="after drop" tw:begins="true" tw:ends="true" tw:waits="true">
          <transition event="take" cond="outcome is failed:it is not ptr" target="held"/>
        </state>
        <state id="held" tw:stays-on-cpu="true">
          <transition target="after drop" tw:opens="true" tw:closes="true" tw:optional="true" tw:like="tid"/>
        </state>
        <state id="both" tw:stands-for="held both"/>
      </fsm>
      <!-- a - - b -->
      <fsm id="other">
        <state id="only"/>
      </fsm>
    </patternHandler>
  </pattern>
</tmfxml>
"##;

#[test]
fn what_is_written_is_what_was_read() {
    let model = pattern(EVERYTHING);
    let written = write(&model, &[String::new(), "a -- b".into()]).unwrap();
    assert_eq!(written, EVERYTHING);
    assert_eq!(pattern(&written), model);
}

#[test]
fn what_cannot_be_said_is_refused() {
    let refused = |change: &dyn Fn(&mut Pattern)| {
        let mut model = pattern(EVERYTHING);
        change(&mut model);
        write(&model, &[]).unwrap_err().to_string()
    };
    let all = [
        refused(&|model| model.id = "a\u{1}".into()),
        refused(&|model| model.tests[0].id = "a:b".into()),
        refused(&|model| model.machines[0].consuming = false),
        refused(&|model| model.machines[0].states[0].transitions[0].events.names[0] = "a|b".into()),
        refused(&|model| model.machines[0].states[0].transitions[0].target = 99),
        refused(&|model| model.machines[0].keys.as_mut().unwrap()[0].except[0] = "a b".into()),
        refused(&|model| {
            model.definitions.push(model::machine::Definition {
                name: "a".into(),
                value: "1".into(),
                color: None,
            })
        }),
    ];
    expect![[r#"
        the name "a\u{1}" cannot stand in a model
        the name "a:b" cannot stand in a model
        the machine lock has more than states, and only those are written
        the event "a|b" cannot stand in a model
        a transition of lock leads nowhere
        the name "a b" cannot stand in a model
        models with actions, handlers or definitions are not written"#]]
    .assert_eq(&all.join("\n"));
}
