import { readFile } from "node:fs/promises";
import { extname, relative, sep } from "node:path";
import { type Loader, type OnLoadResult, type Plugin, transform } from "esbuild";

const MENTIONS = /\bimport\s*\.\s*meta\b|\b__dirname\b|\b__filename\b/;

const loaderOf = (path: string): Loader => {
  const extension = extname(path).replace(/^\.[cm]/, ".");
  if (extension === ".tsx") return "tsx";
  if (extension === ".ts") return "ts";
  return "jsx";
};

const located = async (path: string, projectPath: string): Promise<OnLoadResult | undefined> => {
  const source = await readFile(path, "utf8");
  if (!MENTIONS.test(source)) return undefined;
  const { code } = await transform(source, {
    loader: loaderOf(path),
    sourcefile: path,
    sourcemap: "inline",
    target: "esnext",
    define: {
      "import.meta.url": "__berthUrl",
      "import.meta.filename": "__berthFile",
      "import.meta.dirname": "__berthDir",
      __filename: "__berthFile",
      __dirname: "__berthDir",
    },
    banner:
      `const __berthUrl = new URL(${JSON.stringify(encodeURI(projectPath))}, __berthProject).href, ` +
      "__berthFile = __berthToPath(__berthUrl), __berthDir = __berthDirname(__berthFile);",
  });
  return { contents: code, loader: "js" };
};

/**
 * Keeps `import.meta.url`, `__dirname` and the like of the project's own modules true: they name
 * the module's place in the copy of the project that lies beside the bundle.
 */
export const moduleLocation = (dir: string): Plugin => ({
  name: "berth-module-location",
  setup(build) {
    build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path, with: attributes }) => {
      const projectPath = relative(dir, path).split(sep).join("/");
      const foreign = projectPath.startsWith("../") || projectPath.includes("node_modules/");
      if (foreign || attributes.type !== undefined) return undefined;
      try {
        return await located(path, projectPath);
      } catch {
        // A syntax error: esbuild reports it better when it reads the file itself.
        return undefined;
      }
    });
  },
});

/** Top of every bundle: where the project's copy is, and what CommonJS packages expect. */
export const BUNDLE_BANNER = [
  'import { createRequire as __berthRequire } from "node:module";',
  'import { fileURLToPath as __berthToPath } from "node:url";',
  'import { dirname as __berthDirname } from "node:path";',
  'const __berthProject = new URL("./project/", import.meta.url);',
  "const __berthBundleFile = __berthToPath(import.meta.url);",
  "const __berthBundleDir = __berthDirname(__berthBundleFile);",
  // A global, since projects declare a `require` of their own at the top of modules.
  "globalThis.require = __berthRequire(import.meta.url);",
].join("\n");
