/** node:http that sends the bytes of the given file. No JavaScript server is faster. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { serveAt } from './serve.ts'

const bytes = readFileSync(process.argv[2] as string)

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
  })
})
serveAt(server, '/graphql')
