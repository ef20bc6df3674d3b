"""Other matchers on the same rules and events: event-ruler (Java) and a-tree (Rust), each in a small harness."""
