/** How a turn ends that a person stopped, or whose session got a newer message. */
export const cancelled = (message: string) => JSON.stringify({ code: "cancelled", message });
