/** A picture that the user chose, and the link that it has since the service has stored it. */
export interface Picture {
  file: File
  link?: string
}

/** By the names of their files, in small letters and without folders. */
export type Pictures = ReadonlyMap<string, Picture>

/** The name of a file without its folders. */
export const nameFile = (path: string): string => path.trim().split(/[\\/]/).at(-1) ?? ''

/** The name of a picture file, as {@link Pictures} has it; undefined if the text names none. */
export const nameOfPicture = (path: string): string | undefined =>
  /\.(png|jpe?g|gif|webp|avif)$/i.test(path) ? nameFile(path).normalize('NFC').toLowerCase() : undefined

/** The files that are pictures, besides those that were chosen before; and the first other file. */
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
