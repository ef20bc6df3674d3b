"""The notification service: one message per person and story, on the channels that people have."""
