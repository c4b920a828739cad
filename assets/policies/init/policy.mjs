// A policy for GAME, for Node.js. Write your own `act`; the rest speaks the protocol.
// Use console.error for your own messages: standard output is for answers.
import { createInterface } from "node:readline";

let seed = 1;

// A small generator, so that the same seed gives the same play.
function random() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}

// Returns a list of actions, one action, or [] for nothing. Here: one of those that the game lists.
function act(observation, info) {
  const space = observation?._action_space ?? [];
  const total = space.reduce((sum, entry) => sum + (entry.weight ?? 1), 0);
  let left = random() * total;
  const chosen = space.find((entry) => (left -= entry.weight ?? 1) < 0) ?? space[0];
  return chosen ? chosen.action : [];
}

const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");
let info = {};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    info = message;
    seed = (Number(info.seed ?? 1) + String(info.seat).charCodeAt(1) * 7919) >>> 0;
    send({ type: "ready", name: "my policy" });
  } else if (message.type === "observe") {
    send({ id: message.id, action: act(message.observation, info) });
  } else if (message.type === "reject") {
    console.error("refused:", message.reasons.join("; ")); // The same turn is asked again.
  }
}
