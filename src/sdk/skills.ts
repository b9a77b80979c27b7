export interface SkillDefinition {
  /** When to use the skill: all the model sees before it loads it. */
  description: string;
  markdown: string;
  /** Further files of the skill, by path relative to it. */
  files?: Record<string, string> | undefined;
}

/** Declares a skill whose content is generated. */
export const defineSkill = (definition: SkillDefinition): SkillDefinition => definition;
