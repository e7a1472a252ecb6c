//! Defines classes as the loader of the class path would, without it: what an earlier run kept need not be looked
//! for, unpacked and copied by Java code that no compiler has seen yet, which takes longer than to define it.
//!
//! What has to be as if the loader had done it, and how that is seen to:
//!
//! ```text
//! the class file            where the class stands is sure (class_path.rs), and the archive has the length and the
//!                           crc32 of what was kept in its directory, now
//! package, sealing, module  the first class of each package of each archive comes from the loader
//! protection domain         that class has it; where it says to come from has to be that archive
//! the class loaded once     its name is locked as the loader locks it
//! class files in front      none are added to the virtual machine's own (-Xbootclasspath/a)
//! ```
//!
//! Whoever calls asks the loader for what is not defined here.

use std::collections::HashMap;
use std::ffi::CString;

use crate::class_path::{ClassPath, Place};
use crate::ffi::{Getter, Jni, Jvmti, Ref, Value};
use crate::shelf::{FileOnShelf, Listed, Shelf};

/// Longer class files are left to the loader.
const MOST: u32 = 1 << 20;

/// A package of an archive.
type Package = (usize, String);

fn package(place: Place, class: &str) -> Package {
    let package = class.rsplit_once('.').map_or("", |(package, _)| package);
    (place.archive, package.to_owned())
}

/// Defines classes.
#[derive(Debug)]
pub(super) struct Direct<'d> {
    jni: Jni,
    loader: Ref,
    shelf: &'d Shelf,
    class_path: ClassPath,
    methods: Methods,
    /// What the classes of a package get, a global handle; `None` where the loader takes them from elsewhere.
    domains: HashMap<Package, Option<Ref>>,
    room: Vec<u8>,
}

/// Methods of the loader and of what belongs to a class.
#[derive(Debug)]
struct Methods {
    lock_of: Getter,
    find_loaded: Getter,
    define: Getter,
    domain: Getter,
    source: Getter,
    location: Getter,
    path: Getter,
}

impl Methods {
    fn of(jni: Jni, loader: Ref) -> Option<Methods> {
        let of_loader = |name, descriptor| jni.getter(jni.class_of(loader), name, descriptor);
        let of = |class, name, descriptor| jni.getter(jni.find_class(class)?, name, descriptor);
        let domain = c"()Ljava/security/ProtectionDomain;";
        let source = c"()Ljava/security/CodeSource;";
        Some(Methods {
            lock_of: of_loader(c"getClassLoadingLock", c"(Ljava/lang/String;)Ljava/lang/Object;")?,
            find_loaded: of_loader(c"findLoadedClass", c"(Ljava/lang/String;)Ljava/lang/Class;")?,
            define: of_loader(
                c"defineClass",
                c"(Ljava/lang/String;[BIILjava/security/ProtectionDomain;)Ljava/lang/Class;",
            )?,
            domain: of(c"java/lang/Class", c"getProtectionDomain", domain)?,
            source: of(c"java/security/ProtectionDomain", c"getCodeSource", source)?,
            location: of(c"java/security/CodeSource", c"getLocation", c"()Ljava/net/URL;")?,
            path: of(c"java/net/URL", c"getPath", c"()Ljava/lang/String;")?,
        })
    }
}

impl<'d> Direct<'d> {
    /// `None` where nothing can be said of the class path, or class files stand before it.
    pub(super) fn new(
        (jvmti, jni): (Jvmti, Jni),
        loader: Ref,
        shelf: &'d Shelf,
        listed: &[Listed],
    ) -> Option<Direct<'d>> {
        if jvmti.property(c"jdk.boot.class.path.append").is_some_and(|path| !path.is_empty()) {
            return None;
        }
        let names = listed.iter().map(|listed| listed.name.as_str());
        let class_path = ClassPath::search(&jvmti.property(c"java.class.path")?, names)?;
        let methods = Methods::of(jni, loader)?;
        Some(Direct { jni, loader, shelf, class_path, methods, domains: HashMap::new(), room: Vec::new() })
    }

    /// Defines a class, unless it is there; `false`: the loader has to be asked for it.
    pub(super) fn define(&mut self, listed: &Listed) -> bool {
        self.try_to_define(listed).is_some()
    }

    fn try_to_define(&mut self, listed: &Listed) -> Option<()> {
        let place = self.class_path.find(&listed.name)?;
        let domain = (*self.domains.get(&package(place, &listed.name))?)?;
        let bytes = self.file(listed.file?, place)?;
        let Direct { jni, loader, methods, .. } = self;
        let name = jni.text(&CString::new(listed.name.as_str()).ok()?)?;
        let named = || Value { object: name };
        let lock = jni.get(*loader, methods.lock_of, [named()])?;
        let array = jni.bytes(&bytes)?;
        let length = i32::try_from(bytes.len()).ok()?;
        jni.synchronized(lock, || {
            if jni.get(*loader, methods.find_loaded, [named()]).is_none() {
                let [array, domain] = [array, domain].map(|object| Value { object });
                let [start, length] = [0, length].map(|int| Value { int });
                // What fails here fails again where the program asks for it.
                let _ = jni.get(*loader, methods.define, [named(), array, start, length, domain]);
            }
        });
        Some(())
    }

    /// The class file that was kept, if it is what stands at this place.
    fn file(&mut self, file: FileOnShelf, place: Place) -> Option<Vec<u8>> {
        if place.size > MOST {
            return None;
        }
        let bytes = self.shelf.class_file(file, &mut self.room)?;
        let is_it = bytes.len() == place.size as usize && crc32fast::hash(&bytes) == place.crc;
        is_it.then_some(bytes)
    }

    /// Takes notice of a class that the loader has found: the others of its package can be defined now.
    pub(super) fn learn(&mut self, listed: &Listed, class: Ref) {
        let Some(place) = self.class_path.find(&listed.name) else { return };
        let package = package(place, &listed.name);
        if !self.domains.contains_key(&package) {
            let domain = self.domain_of(class, place.archive);
            self.domains.insert(package, domain);
        }
    }

    /// The protection domain of a class, a global handle; `None` if it is from elsewhere than this archive.
    fn domain_of(&self, class: Ref, archive: usize) -> Option<Ref> {
        let Direct { jni, methods, .. } = self;
        let domain = jni.get(class, methods.domain, [])?;
        let source = jni.get(domain, methods.source, [])?;
        let location = jni.get(source, methods.location, [])?;
        let path = jni.get(location, methods.path, [])?;
        let is_here = jni.is_text(path, self.class_path.path(archive)?);
        is_here.then(|| jni.global(domain))
    }
}

impl Drop for Direct<'_> {
    fn drop(&mut self) {
        self.domains.values().flatten().for_each(|domain| self.jni.delete_global(*domain));
    }
}
