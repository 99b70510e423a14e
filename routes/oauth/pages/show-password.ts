import { createHash } from 'node:crypto'
import type { Route } from '../../route.ts'

/** Shows and hides the password. The button is hidden unless the script runs. */
const text = `const field = document.querySelector('#password')
const button = document.querySelector('#show')
const show = shown => {
  field.type = shown ? 'text' : 'password'
  button.textContent = shown ? 'Hide' : 'Show'
}
button.hidden = false
button.onclick = () => show(field.type === 'password')
// Browsers remember what is typed into text fields.
field.form.addEventListener('submit', () => show(false))
`

const hash = `sha256-${createHash('sha256').update(text).digest('base64')}`

/** The only script of the login page. The policy of the page has its hash, so no other script runs. */
export const showPassword = {
  hash,
  /** Relative to the login page; another one for another script, because browsers keep it. */
  address: `show-password.js?${encodeURIComponent(hash)}`
}

export const showPasswordScript: Route = () => ({
  handler: async (_request, reply) =>
    reply
      .headers({ 'Cache-Control': 'public, max-age=31536000, immutable' })
      .type('text/javascript; charset=utf-8')
      .send(text)
})
