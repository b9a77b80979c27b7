import { cva, type VariantProps } from "class-variance-authority";
import { Slot } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "./cn";

const styles = cva(
  [
    "inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium",
    "transition-colors duration-100 [&_svg]:size-4 [&_svg]:shrink-0",
    "disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50",
  ],
  {
    variants: {
      look: {
        primary: "bg-ink text-canvas hover:bg-soft",
        plain: "border border-line-strong bg-surface text-ink hover:bg-hover",
        ghost: "text-soft hover:bg-hover hover:text-ink",
        danger: "border border-line-strong bg-surface text-bad hover:bg-bad-soft",
      },
      size: {
        sm: "h-7 px-2 text-sm",
        md: "h-8 px-3 text-sm",
        lg: "h-9 px-4 text-base",
        icon: "size-8",
      },
    },
    defaultVariants: { look: "plain", size: "md" },
  },
);

interface ButtonProps extends ComponentProps<"button">, VariantProps<typeof styles> {
  /** Gives the look to the only child, such as a link. */
  asChild?: boolean;
}

export function Button({ look, size, asChild, className, ...props }: ButtonProps) {
  const classes = cn(styles({ look, size }), className);
  if (asChild) return <Slot.Root className={classes} {...props} />;
  return <button type="button" className={classes} {...props} />;
}
