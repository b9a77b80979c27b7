import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { CodeFence } from "./code-fence";

/** An image of a model's text would tell its server who reads it: its address is shown instead. */
const BlockedImage: Components["img"] = ({ src, alt }) => (
  <span className="rounded border border-line border-dashed px-1.5 py-0.5 text-faint text-xs">
    image not loaded: {alt ? `${alt} · ` : ""}
    {typeof src === "string" ? src : ""}
  </span>
);

const COMPONENTS: Components = {
  img: BlockedImage,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  pre: ({ children }) => <CodeFence>{children}</CodeFence>,
};

const REMARK = [remarkGfm];
const REHYPE = [rehypeSanitize];

/** Text of a model or tool as Markdown: no HTML, no remote images, safe links. */
export const Markdown = memo(({ text }: { text: string }) => (
  <div className="prose-berth">
    <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  </div>
));
Markdown.displayName = "Markdown";
