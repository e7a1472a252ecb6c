//! Names behind which there may be a secret: of what they name, no value is recorded.

/// What such a name has in it, in whatever case and with or without `_` and `-` between.
pub(super) const WORDS: [&str; 15] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "credential",
    "apikey",
    "privatekey",
    "authorization",
    "cookie",
    "sessionid",
    "creditcard",
    "cvv",
];

/// Whether what has this name may be a secret.
pub fn is_secret(name: &str) -> bool {
    let plain: String =
        name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    plain == "pin" || WORDS.iter().any(|word| plain.contains(word))
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn secrets_are_known_by_their_names() {
        for name in ["password", "userPassword", "API_KEY", "private-key", "PIN", "setToken", "clientSecret"]
        {
            assert!(is_secret(name), "{name}");
        }
        for name in ["", "pins", "spinner", "user", "key", "amount", "secre"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
