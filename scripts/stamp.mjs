// Runs after every npm install of the workspace, by hand or by a script.
import { stampInstall } from './workspace.mjs'

stampInstall(process.env.npm_config_omit?.includes('dev') ? 'run' : 'all')
