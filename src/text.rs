//! Text from outside made safe to show, and cut to a width.
