/** No provider or no key for a model. The message holds the command that mends it. */
export class ModelNotConfigured extends Error {
  override readonly name = "ModelNotConfigured";
  readonly code = "model_not_configured";
}
