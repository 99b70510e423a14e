/** A chosen picture. It has a link once it is uploaded. */
export interface Picture {
  file: File
  link?: string
}

/** Pictures by file name, in lower case and without folders. */
export type Pictures = ReadonlyMap<string, Picture>

/** Returns the name of a file without its folders. */
export const nameFile = (path: string): string => path.trim().split(/[\\/]/).at(-1) ?? ''

/** Returns the key in {@link Pictures}; undefined if the text does not name a picture file. */
export const nameOfPicture = (path: string): string | undefined =>
  /\.(png|jpe?g|gif|webp|avif)$/i.test(path) ? nameFile(path).normalize('NFC').toLowerCase() : undefined

/** Splits files into pictures, added to the earlier ones, and the first other file. */
export function sortFiles(files: File[], before: Pictures): { pictures: Pictures; table: File | undefined } {
  const pictures = new Map(before)
  const others: File[] = []
  for (const file of files) {
    const name = nameOfPicture(file.name)
    if (name === undefined) others.push(file)
    else pictures.set(name, { file })
  }
  return { pictures, table: others[0] }
}
