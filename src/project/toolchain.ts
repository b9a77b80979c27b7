/** Where the tools of a build are. The project itself never chooses any of them. */
export interface Toolchain {
  /** The authoring package, as sources (`*.ts`) or built (`*.js`). */
  sdkDir: string;
  /** Directory whose `node_modules` holds the provided Zod. */
  modulesDir: string;
}
