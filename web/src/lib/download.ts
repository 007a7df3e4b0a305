// Drawings and tables as files.

function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Not at once: the browser still reads it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Names of files hold letters, digits and little else. */
export const fileName = (text: string, ending: string): string =>
  `${
    text
      .replace(/[^\p{L}\p{N}._+-]+/gu, "-")
      .replace(/^[-.]+|[-.]+$/g, "")
      .slice(0, 80) || "benchhud"
  }.${ending}`;

export function saveCsv(name: string, pieces: string[]): void {
  save(name, new Blob(pieces, { type: "text/csv" }));
}

export function saveSvg(name: string, svg: string): void {
  save(name, new Blob([svg], { type: "image/svg+xml" }));
}

/** Twice as many pixels as the drawing has units: it is to be read in a report. */
export async function savePng(name: string, svg: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * 2;
  canvas.height = image.naturalHeight * 2;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser cannot draw");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("this browser makes no PNG");
  save(name, blob);
}
