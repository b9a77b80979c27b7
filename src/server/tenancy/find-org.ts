import { platform } from "../platform/platform";
import { OrgSettings } from "./org-settings";

export interface FoundOrg {
  id: string;
  slug: string;
  name: string;
  settings: OrgSettings;
}

/** The org of a slug, whoever asks: the caller's membership is checked by `ctxForCaller`. */
export async function findOrg(slug: string): Promise<FoundOrg | undefined> {
  const { rows } = await platform().pool.query<Omit<FoundOrg, "settings"> & { settings: unknown }>({
    name: "berth_org_by_slug",
    text: "SELECT * FROM berth_org_by_slug($1)",
    values: [slug],
  });
  const row = rows[0];
  return row && { ...row, settings: OrgSettings.parse(row.settings) };
}
