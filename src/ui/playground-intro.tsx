import { Wrench } from "lucide-react";

interface PlaygroundIntroProps {
  agent: { name: string; description?: string | undefined };
  tools: readonly { name: string; description: string }[];
  onTry(text: string): void;
}

const SHOWN = 4;

/** What a new session starts with: who this is and what it can do. */
export const PlaygroundIntro = ({ agent, tools, onTry }: PlaygroundIntroProps) => (
  <section className="grid gap-5 pt-[6vh]">
    <div className="grid gap-1">
      <h2 className="font-semibold text-xl">Talk to {agent.name}</h2>
      <p className="max-w-prose text-soft">
        {agent.description ?? "Send a message to start a session. You see every step as it runs."}
      </p>
    </div>
    {tools.length > 0 ? (
      <ul className="grid gap-2 sm:grid-cols-2">
        {tools.slice(0, SHOWN).map((tool) => (
          <li key={tool.name}>
            <button
              type="button"
              onClick={() => onTry(`Use ${tool.name} and show me what it returns.`)}
              className="grid h-full w-full content-start gap-1 rounded-lg border border-line bg-surface p-3 text-left hover:border-line-strong hover:bg-hover"
            >
              <span className="flex items-center gap-1.5 font-medium font-mono text-xs">
                <Wrench aria-hidden="true" className="size-3.5 text-faint" />
                {tool.name}
              </span>
              <span className="line-clamp-2 text-faint text-sm">{tool.description}</span>
            </button>
          </li>
        ))}
      </ul>
    ) : null}
  </section>
);
