//! The build script of all three programs: their version is the one of p4warden's Python package.

fn main() {
    let package = include_str!("../p4warden/__init__.py");
    let version =
        package.rsplit('"').nth(1).expect("__version__ is the last text in quotation marks");
    println!("cargo::rustc-env=P4WARDEN_VERSION={version}");
}
