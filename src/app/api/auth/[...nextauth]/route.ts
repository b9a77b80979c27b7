import NextAuth from "next-auth";
import { authOptions } from "../../../../server/tenancy";

type Context = { params: Promise<{ nextauth: string[] }> };

const handler = (request: Request, context: Context): Promise<Response> =>
  NextAuth(request as never, context as never, authOptions());

export { handler as GET, handler as POST };
