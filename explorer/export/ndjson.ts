import type { WriteFile } from '../additions.ts'

/** Writes a JSON object in each line. */
export const writeFile: WriteFile = async pages => {
  async function* parts() {
    for await (const templates of pages())
      yield templates.map(template => `${JSON.stringify(template)}\n`).join('')
  }
  return { parts: parts(), note: '' }
}
