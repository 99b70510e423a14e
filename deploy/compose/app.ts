/**
 * An example application beside the service, with the demo credentials. It lists the names of the templates at port
 * 8080.
 */
import { createServer } from 'node:http'

const url = process.env.TEMPLATES_URL
const query = '{ allProducts { id name } }'

async function requestToken(): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('demo-client:demo-secret')}` },
    body: new URLSearchParams({
      grant_type: 'password',
      username: 'demo@example.com',
      password: 'demo-password'
    })
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return access_token
}

let token: Promise<string> | undefined

async function listNames(): Promise<string> {
  token ??= requestToken()
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query })
  })
  if (response.status === 401) token = undefined
  const { data } = (await response.json()) as { data: { allProducts: { id: number; name: string }[] } }
  return data.allProducts.map(({ id, name }) => `${id} ${name}\n`).join('')
}

const server = createServer((_request, response) => {
  listNames().then(
    names => response.end(names),
    error => {
      token = undefined
      response.writeHead(502).end(`${error}\n`)
    }
  )
})
server.listen(Number(process.env.PORT ?? 8080))
process.once('SIGTERM', () => server.close())
