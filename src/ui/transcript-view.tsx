import type { Transcript } from "../protocol/transcript";
import { MessageView } from "./message-view";
import { Notice } from "./notice";
import { TurnView } from "./turn-view";

interface TranscriptViewProps {
  transcript: Transcript;
  /** The reader's own principal: their messages need no name. */
  me?: string | undefined;
  /** Index of the event that the address points at. */
  marked?: number | undefined;
}

/** A session as a conversation: the one rendering of live streams and of replay. */
export const TranscriptView = ({ transcript, me, marked }: TranscriptViewProps) => (
  <>
    {transcript.items.map((item) =>
      item.kind === "message" ? (
        <MessageView
          key={item.key}
          text={item.text}
          index={item.index}
          from={me && item.principal !== me ? item.principal : undefined}
          marked={item.index === marked}
        />
      ) : (
        <TurnView key={item.key} turn={item} marked={marked} />
      ),
    )}
    {transcript.error ? (
      <Notice tone="bad" title={transcript.error.message}>
        <code className="font-mono text-xs">{transcript.error.code}</code>
      </Notice>
    ) : null}
  </>
);
