/** What a form's action came to: its value, or the sentence that says what to do. */
export type Outcome<Value> = { ok: true; value: Value } | { ok: false; message: string };
