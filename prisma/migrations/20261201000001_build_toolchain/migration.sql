-- What built the bundle: the same source gives it again only by the same programs.
ALTER TABLE "deployment" ADD COLUMN "toolchain" TEXT;
