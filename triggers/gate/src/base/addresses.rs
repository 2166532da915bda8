//! Comparison of the address that p4d reports with those of a selector.
//!
//! Behind a proxy, broker or edge server p4d's logs have two addresses joined by `/`, the client's
//! last. Which one a trigger gets is not documented, so one of two suffices.

use crate::base::patterns::matches;
use std::net::{IpAddr, Ipv6Addr};

/// The addresses of an event; none for `unknown` and for p4d's own background commands.
pub fn addresses_of(reported: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parts = reported.split(|byte| *byte == b'/');
    parts.filter(|part| !matches!(*part, b"" | b"unknown" | b"background"))
}

/// Whether an address is the one of an entry of `ips`, matches its pattern, or is in its network.
pub fn is_in(entry: &[u8], address: &[u8]) -> bool {
    let parsed = parsed(address);
    match (Entry::of(entry), parsed) {
        (Some(Entry::Network(network, bits)), Some(address)) => has(network, bits, address),
        (Some(Entry::Network(..)) | None, _) => false,
        (Some(Entry::Pattern), Some(parsed)) => {
            matches(entry, address, false) || matches(entry, parsed.to_string().as_bytes(), false)
        }
        (Some(Entry::Pattern), None) => matches(entry, address, false),
    }
}

/// Why an entry of `ips` matches no address; None if it may match one.
pub fn problem(entry: &str) -> Option<String> {
    match Entry::of(entry.as_bytes()) {
        Some(Entry::Network(network, bits)) if !is_start(network, bits) => Some(format!(
            "{entry} begins within the network (write {}/{bits})",
            start(network, bits)
        )),
        Some(_) => None,
        None if entry.contains('/') => {
            Some(format!("{entry} is no network (write one such as 10.1.0.0/16)"))
        }
        None => Some(match parsed(entry.as_bytes()) {
            Some(address) => format!("{entry} is more than an address (write {address})"),
            None => format!(
                "{entry} is no address (write one such as 10.1.2.3, 10.1.2.* or 10.1.0.0/16)"
            ),
        }),
    }
}

enum Entry {
    /// With the number of leading bits that it fixes.
    Network(IpAddr, u8),
    Pattern,
}

impl Entry {
    fn of(text: &[u8]) -> Option<Self> {
        let text = str::from_utf8(text).ok()?;
        if let Some((network, bits)) = text.split_once('/') {
            let network = plain(network.parse().ok()?);
            let is_decimal = bits.bytes().all(|byte| byte.is_ascii_digit());
            let bits = bits.parse().ok().filter(|bits| is_decimal && *bits <= width(network))?;
            return Some(Entry::Network(network, bits));
        }
        if let Ok(address) = text.parse() {
            let address = plain(address);
            return Some(Entry::Network(address, width(address)));
        }
        let is_of_address =
            |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':' | b'*' | b'?');
        let has_wildcard = text.contains(['*', '?']);
        (has_wildcard && text.bytes().all(is_of_address)).then_some(Entry::Pattern)
    }
}

/// Also of an address in brackets or with a scope, such as `[fe80::1%eth0]`.
fn parsed(address: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(address).ok()?;
    let text = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let text = text.split_once('%').map_or(text, |(address, _)| address);
    text.parse().ok().map(plain)
}

/// `10.1.2.3` for `::ffff:10.1.2.3`.
fn plain(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn has(network: IpAddr, bits: u8, address: IpAddr) -> bool {
    network.is_ipv4() == address.is_ipv4() && start(network, bits) == start(address, bits)
}

fn is_start(network: IpAddr, bits: u8) -> bool {
    start(network, bits) == network
}

/// The first address of the network.
fn start(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(four) => {
            let mask = u32::MAX.checked_shl(u32::from(32 - bits)).unwrap_or(0);
            IpAddr::V4((four.to_bits() & mask).into())
        }
        IpAddr::V6(six) => {
            let mask = u128::MAX.checked_shl(u32::from(128 - bits)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() & mask))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_an_address_a_pattern_or_a_network() {
        for (entry, address, is_match) in [
            ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "10.1.2.30", false),
            ("10.1.2.3", "::ffff:10.1.2.3", true),
            ("::ffff:10.1.2.3", "10.1.2.3", true),
            ("10.1.2.*", "10.1.2.30", true),
            ("10.1.2.*", "10.1.20.3", false),
            ("10.1.2.*", "::ffff:10.1.2.3", true),
            ("10.?.2.3", "10.1.2.3", true),
            ("*", "10.1.2.3", true),
            ("10.1.0.0/16", "10.1.255.255", true),
            ("10.1.0.0/16", "10.2.0.0", false),
            ("10.1.2.3/32", "10.1.2.3", true),
            ("0.0.0.0/0", "10.1.2.3", true),
            ("0.0.0.0/0", "fe80::1", false),
            ("::/0", "fe80::1", true),
            ("::/0", "10.1.2.3", false),
            ("fe80::/10", "fe80::1%eth0", true),
            ("fe80::1", "[FE80:0:0::1]", true),
            ("2001:db8::*", "2001:DB8::7", true),
            ("2001:db8::/32", "2001:db9::7", false),
            ("10.1.0.0/16", "host", false),
            ("10.1.0.0/33", "10.1.0.1", false),
            ("10.1.0.0/+8", "10.1.0.1", false),
            ("host", "host", false),
        ] {
            assert_eq!(is_in(entry.as_bytes(), address.as_bytes()), is_match, "{entry} {address}");
        }
    }

    #[test]
    fn an_entry_that_matches_nothing_has_a_problem() {
        let within = problem("10.1.2.3/16").unwrap_or_default();
        assert_eq!(within, "10.1.2.3/16 begins within the network (write 10.1.0.0/16)");
        let no_network = problem("build/16").unwrap_or_default();
        assert_eq!(no_network, "build/16 is no network (write one such as 10.1.0.0/16)");
        let brackets = problem("[2001:db8::1]").unwrap_or_default();
        assert_eq!(brackets, "[2001:db8::1] is more than an address (write 2001:db8::1)");
        assert!(problem("build01").is_some_and(|text| text.starts_with("build01 is no address")));
        for entry in ["10.1.0.0/16", "::1", "10.*", "::/0"] {
            assert_eq!(problem(entry), None);
        }
    }

    #[test]
    fn an_event_behind_a_proxy_has_two_addresses() {
        let of = |reported: &'static str| addresses_of(reported.as_bytes()).collect::<Vec<_>>();
        assert_eq!(of("10.9.9.9/10.1.2.3"), [b"10.9.9.9", b"10.1.2.3"]);
        assert_eq!(of("unknown"), Vec::<&[u8]>::new());
        assert_eq!(of("10.9.9.9/unknown"), [b"10.9.9.9"]);
    }
}
