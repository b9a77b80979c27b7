import type { Awaitable, JsonValue } from "../json";
import type { ChannelPrincipal } from "./auth";
import type { ChannelDefinition } from "./channel";

export interface SlackMessage {
  /** The text with mentions of the bot removed. */
  body: string;
  text: string;
  channelId: string;
  teamId?: string;
  ts?: string;
  threadTs?: string;
  author?: { id?: string; name?: string; isBot?: boolean };
}

export interface SlackCtx {
  thread: { post(text: string): Promise<unknown> };
}

/** Who a Slack message comes from. */
export interface SlackAuth extends ChannelPrincipal {
  readonly platform: "slack";
}

interface Accepted {
  auth: SlackAuth;
  title?: string | undefined;
  context?: string[] | undefined;
}

/** Decides whether a message starts or continues a session: `null` ignores it. */
export type SlackMessageHandler = (
  ctx: SlackCtx,
  message: SlackMessage,
) => Promise<null | Accepted>;

type SlackHandler = (ctx: SlackCtx, message: SlackMessage) => Awaitable<null | Accepted>;

export interface SlackChannelOptions {
  /** Prefix of the names of the secrets, `SLACK` when absent. */
  envPrefix?: string | undefined;
  engagement?:
    | {
        channelPosts?:
          | { allow: string[]; posts: "top-level" | "all"; debounceMs?: number | undefined }
          | undefined;
      }
    | undefined;
  onChannelPost?: SlackHandler | undefined;
  onAppMention?: SlackHandler | undefined;
  reply?:
    | {
        mode: "post" | "stream";
        status?:
          | {
              reasoning?: boolean | undefined;
              tools?: boolean | undefined;
              idle?: string[] | undefined;
            }
          | undefined;
      }
    | undefined;
  suggestedPrompts?: { title: string; message: string }[] | undefined;
  suggestedPromptsTitle?: string | undefined;
}

/** The principal of a message's author; `null` for bots and messages without an author. */
export const defaultSlackAuth = (message: SlackMessage, _ctx: SlackCtx): SlackAuth | null => {
  const { author, teamId } = message;
  if (author?.id === undefined || author.isBot === true) return null;
  const id = teamId === undefined ? author.id : `${teamId}:${author.id}`;
  return { platform: "slack", id, ...(author.name === undefined ? {} : { label: author.name }) };
};

/** Declares a Slack channel: a thread is a conversation. */
export const slackChannel = (options: SlackChannelOptions): ChannelDefinition<JsonValue> => ({
  kind: "slack",
  routes: [],
  ...options,
});
