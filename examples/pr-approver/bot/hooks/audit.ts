import { defineHook } from "openberth/hooks";

/** Keeps who decided which approval, newest last. */
export default defineHook({
  events: {
    async "action.approval_resolved"(event, { host, session }) {
      const entry = { at: event.at, session: session.id, ...event.data };
      await host.files.put(`decisions/${event.data.callId}.json`, JSON.stringify(entry));
    },
  },
});
