import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { directory } from '../database/database.ts'
import { locate } from '../programs.ts'

export const chromiumFlags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-dev-shm-usage']

/**
 * Runs the body of an async function in a page with its own origin, in a real browser. Resolves with its result as
 * JSON; rejects with the text of its error.
 */
export async function inBrowser(t: Test, body: string): Promise<unknown> {
  const page = `<!doctype html><script>
    const report = result => fetch('/result', { method: 'POST', body: JSON.stringify(result) })
    const run = async () => { ${body} }
    run().then(value => report({ value }), error => report({ error: String(error) }))
  </script>`
  const profile = await directory(t)
  return new Promise((resolve, reject) => {
    const server = createServer(async (request, response) => {
      if (request.url !== '/result') return void response.setHeader('Content-Type', 'text/html').end(page)
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      response.end()
      const { value, error } = JSON.parse(Buffer.concat(chunks).toString())
      if (error === undefined) resolve(value)
      else reject(new Error(error))
    })
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      const flags = ['--headless', ...chromiumFlags, `--user-data-dir=${profile}`]
      const child = spawn(locate('chromium'), [...flags, `http://127.0.0.1:${port}/`], {
        stdio: 'ignore',
        // On Debian, the program is a script. The browser that it starts is in the same group of processes.
        detached: true
      })
      child.once('error', reject)
      child.once('exit', code => reject(new Error(`the browser ended with ${code}`)))
      t.teardown(async () => {
        const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null
        if (isRunning) process.kill(-child.pid, 'SIGKILL')
        if (isRunning) await once(child, 'exit')
        server.closeAllConnections()
        server.close()
      })
    })
  })
}
