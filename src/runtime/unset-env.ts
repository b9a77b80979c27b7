/** Variables whose absence says nothing about a missing secret. */
const ORDINARY =
  /^(NODE_|npm_|DEBUG$|CI$|TERM|COLORTERM$|NO_COLOR$|FORCE_COLOR$|TZ$|LANG|LC_|HOME$|USER$|PWD$|PATH$|BERTH_)/;

/**
 * Runs `load` and notes which unset environment variables it reads. Returns the notes even when
 * `load` throws, through `onThrown`, which makes the error to throw instead.
 */
export async function watchUnsetEnv<T>(
  load: () => Promise<T>,
  onThrown: (thrown: unknown, unset: readonly string[]) => Error,
): Promise<T> {
  const real = process.env;
  const unset: string[] = [];
  process.env = new Proxy(real, {
    get(target, key) {
      const value = Reflect.get(target, key) as string | undefined;
      if (value === undefined && typeof key === "string" && !ORDINARY.test(key)) unset.push(key);
      return value;
    },
  });
  try {
    return await load();
  } catch (thrown) {
    throw onThrown(thrown, unset);
  } finally {
    process.env = real;
  }
}

/** Which of the unset variables made a module throw: the one its message names, else the last read. */
export const blamedVariable = (message: string, unset: readonly string[]): string | undefined =>
  unset.find((name) => message.includes(name)) ?? unset.at(-1);
