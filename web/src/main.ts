// The page: takes the secret out of the address, then shows the shell.
import { mount } from "svelte";
import App from "./shell/App.svelte";
import "./lib/theme.css";
import "./lib/panel.css";
import { takeToken } from "./lib/api";

takeToken();
const target = document.getElementById("app");
if (target) mount(App, { target });
