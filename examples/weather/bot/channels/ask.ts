import { defineChannel, POST } from "openberth/channels";
import { z } from "zod";

export default defineChannel({
  routes: [
    POST("/", {
      description: "Asks about the weather of a city and waits for the answer.",
      bodySchema: z.object({ city: z.string(), caller: z.string().default("anybody") }),
      async handler(_request, { body, send }) {
        const session = await send(`What is the weather in ${body.city}?`, {
          continuationToken: body.caller,
          title: `Weather in ${body.city}`,
        });
        const { status, result } = await session.waitForCompletion();
        return Response.json({ status, answer: result ?? null });
      },
    }),
  ],
});
