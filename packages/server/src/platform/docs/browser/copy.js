/** A button at each block of code that copies it. */
export function addCopyButtons(root) {
  for (const block of root.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      button.textContent = (await copied(block.querySelector('code'))) ? 'Copied' : 'Press Ctrl+C'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2_000)
    })
    block.append(button)
  }
}

/** The clipboard is only there on https and localhost; elsewhere the text is selected. */
async function copied(code) {
  try {
    await navigator.clipboard.writeText(code.textContent)
    return true
  } catch {
    getSelection().selectAllChildren(code)
    return false
  }
}
