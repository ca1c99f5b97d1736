const key = 'guerdon.project'

/** The project this browser looked at last: where `/dashboard/` leads. */
export const lastProject = () => localStorage.getItem(key)

export function rememberProject(id: string): void {
  localStorage.setItem(key, id)
}
