// First, because it must run before the editor creates its style elements.
import './style-elements.ts'
import { h, render } from 'preact'
import '../tokens.css'
import '../base.css'
import { isLoggedIn, service } from '../api.ts'
import { Header, Skip, Status } from '../ui/header.tsx'
import { showIde } from './ide.tsx'

/** The explorer's page logs in; its route `#/graphql` leads back here. */
if (isLoggedIn()) {
  render([h(Skip, null), h(Header, null), h(Status, null)], document.querySelector('#head') as HTMLElement)
  showIde(document.querySelector('#main') as HTMLElement)
} else location.replace(`${service.href}#/graphql`)
