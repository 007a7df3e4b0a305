/** Whom an action is by: the name that its author gave, and the token that was shown, which says more. */
export const authorOf = ({ who, token }: { who: string; token: string | null }): string =>
  `${who || "somebody"}${token === null ? "" : ` (token ${token})`}`;
