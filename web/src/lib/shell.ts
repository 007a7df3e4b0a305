// Commands that a page offers to be copied: what they are made of may hold anything.

/** One word of a POSIX shell that stands for `text`, whatever is in it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}

/** A path as a shell's word that no program takes for an option. */
export const pathWord = (path: string): string => shellWord(path.startsWith("-") ? `./${path}` : path);
