/** Saves a file as the browser's downloads are saved. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Revoked later, because the browser may not have started to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
