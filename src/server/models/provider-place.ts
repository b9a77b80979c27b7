/** Where the sealed key of a provider belongs. */
export const providerPlace = (name: string) => ({ scope: "model-provider", name, version: 1 });
