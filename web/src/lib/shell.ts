// Commands that a page offers to be copied: what they are made of may hold anything.

/** One word of a POSIX shell in quotes that stands for `text`, whatever is in it. */
export const quotedWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same, with quotes only where they are needed. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quotedWord(text));

/** A path as a shell's word that no program takes for an option. */
export const pathWord = (path: string): string => shellWord(path.startsWith("-") ? `./${path}` : path);
