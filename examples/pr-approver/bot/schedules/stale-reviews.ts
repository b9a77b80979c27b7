import { defineSchedule } from "openberth/schedules";
import github from "../channels/github";

export default defineSchedule({
  cron: "0 8 * * 1-5",
  run({ receive, waitUntil, appAuth }) {
    waitUntil(
      receive(github, {
        message: "List the pull requests that have waited for a review since yesterday.",
        auth: appAuth,
      }),
    );
  },
});
