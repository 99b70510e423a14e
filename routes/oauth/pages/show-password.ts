import { createScript } from './script.ts'

/** Shows and hides the password. The button is hidden unless the script runs. */
export const showPassword = createScript(
  'show-password.js',
  `const field = document.querySelector('#password')
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
)
