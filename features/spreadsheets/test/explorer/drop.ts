import type { Page } from 'playwright-core'

interface DroppedFile {
  name: string
  contents: Uint8Array | string
}

export const dropFile = (page: Page, name: string, contents: Uint8Array | string): Promise<void> =>
  dropFiles(page, { name, contents })

/** Drops files on the page for imports. */
export async function dropFiles(page: Page, ...files: DroppedFile[]): Promise<void> {
  const encoded = files.map(({ name, contents }) => ({
    name,
    bytes: Buffer.from(contents as string).toString('base64')
  }))
  const transfer = await page.evaluateHandle(files => {
    const transfer = new DataTransfer()
    for (const { name, bytes } of files) {
      const binary = Uint8Array.from(atob(bytes), character => character.charCodeAt(0))
      transfer.items.add(new File([binary], name))
    }
    return transfer
  }, encoded)
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer })
}
