/** All that a child learns from this process's environment, which holds secrets. */
export const MINIMAL_ENV = { PATH: "/usr/bin:/bin" } as Record<string, string> as NodeJS.ProcessEnv;
