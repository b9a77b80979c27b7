import { defineHook } from "openberth/hooks";

/** Keeps a count of finished turns per day. */
export default defineHook({
  events: {
    async "turn.completed"(event, { host }) {
      const key = `turns/${event.at.slice(0, 10)}`;
      await host.kv.update(key, (count) => (typeof count === "number" ? count + 1 : 1));
    },
  },
});
