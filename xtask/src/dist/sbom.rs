//! The list of packages that are in the binary, in the form of CycloneDX.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::sh::{self, Trouble};

/// The packages that `tracewright` and the recorder inside it are built from.
pub(super) fn of_binary() -> Result<String, Trouble> {
    let list = list(&metadata()?);
    serde_json::to_string_pretty(&list)
        .map(|text| text + "\n")
        .map_err(|error| Trouble::CannotDo(format!("cannot write the list of packages: {error}")))
}

/// The folder with the source of a package that it is built from.
pub(super) fn folder_of(name: &str) -> Result<PathBuf, Trouble> {
    let metadata = metadata()?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let package = packages.iter().find(|package| package["name"] == name);
    let manifest = package.and_then(|package| package["manifest_path"].as_str()).map(Path::new);
    let folder = manifest.and_then(Path::parent).map(Path::to_owned);
    folder.ok_or_else(|| Trouble::CannotDo(format!("no package is called {name}")))
}

fn metadata() -> Result<Value, Trouble> {
    let metadata =
        sh::output_of("cargo metadata --format-version 1 --locked --features tracewright/columnar");
    serde_json::from_str(&metadata)
        .map_err(|error| Trouble::CannotDo(format!("`cargo metadata` is no JSON: {error}")))
}

fn list(metadata: &Value) -> Value {
    let empty = vec![];
    let all = |value: &'_ Value| -> Vec<Value> { value.as_array().unwrap_or(&empty).clone() };
    let nodes: BTreeMap<String, Vec<String>> =
        all(&metadata["resolve"]["nodes"]).iter().map(|node| (text(&node["id"]), normal(node))).collect();
    let packages = all(&metadata["packages"]);
    let is_root = |package: &&Value| ["tracewright", "agent"].contains(&text(&package["name"]).as_str());
    let mut waiting: Vec<String> =
        packages.iter().filter(is_root).map(|package| text(&package["id"])).collect();
    let mut shipped = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if shipped.insert(id.clone()) {
            waiting.extend(nodes.get(&id).cloned().unwrap_or_default());
        }
    }
    let shipped = packages.iter().filter(|package| shipped.contains(&text(&package["id"])));
    let components: Vec<Value> = shipped.map(component).collect();
    let version = env!("CARGO_PKG_VERSION");
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "tracewright", "version": version}},
        "components": components,
    })
}

fn component(package: &Value) -> Value {
    let (name, version) = (text(&package["name"]), text(&package["version"]));
    json!({
        "type": "library",
        "name": name,
        "version": version,
        "purl": format!("pkg:cargo/{name}@{version}"),
        "licenses": [{"expression": text(&package["license"])}],
    })
}

/// What is linked, in contrast to what only builds or tests.
fn normal(node: &Value) -> Vec<String> {
    let dependencies = node["deps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_normal = |dependency: &&Value| {
        dependency["dep_kinds"]
            .as_array()
            .is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
    };
    dependencies.iter().filter(is_normal).map(|dependency| text(&dependency["pkg"])).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_listed_and_nothing_else() {
        let dependency = |id: &str, kind: Value| json!({"pkg": id, "dep_kinds": [{"kind": kind}]});
        let package = |name: &str| json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT"});
        let metadata = json!({
            "packages": [package("tracewright"), package("clap"), package("strsim"), package("expect-test")],
            "resolve": {"nodes": [
                {"id": "tracewright", "deps": [dependency("clap", Value::Null), dependency("expect-test", json!("dev"))]},
                {"id": "clap", "deps": [dependency("strsim", Value::Null)]},
                {"id": "strsim", "deps": []},
            ]},
        });
        let list = list(&metadata);
        let names: Vec<String> =
            list["components"].as_array().unwrap().iter().map(|one| text(&one["purl"])).collect();
        assert_eq!(names, ["pkg:cargo/tracewright@1.0.0", "pkg:cargo/clap@1.0.0", "pkg:cargo/strsim@1.0.0"]);
    }
}
